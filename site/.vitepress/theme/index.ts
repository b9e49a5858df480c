// VitePress looks for this file and takes its default theme with the styles.
import DefaultTheme from 'vitepress/theme';
import './custom.css';

export default DefaultTheme;
