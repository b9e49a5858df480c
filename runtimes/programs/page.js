/** In a page: what runs within it, and a server of another origin. */
import { exerciseUrl, exerciseWithin } from './exercise.js';

globalThis.exercise = async (url) => [...(await exerciseWithin()), ...(await exerciseUrl('fetch across origins', url))];
