import { effect, signal, type Signal } from '@preact/signals';

/** Themes of the page: as the system wishes it, or one of both. */
export const looks = ['system', 'light', 'dark'] as const;
export type ColorScheme = (typeof looks)[number];

const key = 'parley-look';

export const look: Signal<ColorScheme> = signal(looks.find((one) => one === localStorage.getItem(key)) ?? 'system');

/** Shows the page as the person wishes it, in this tab and in the next. */
export function showLook(): void {
  effect(() => {
    const wished = look.value;
    document.documentElement.style.colorScheme = wished === 'system' ? '' : wished;
    if (wished === 'system') localStorage.removeItem(key);
    else localStorage.setItem(key, wished);
  });
}

/** Goes on to the next look. */
export function nextLook(): void {
  look.value = looks[(looks.indexOf(look.value) + 1) % looks.length] ?? 'system';
}
