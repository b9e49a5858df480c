/** A city of the example server. */
export interface City {
  readonly name: string;
  readonly country: string;
  /** Average temperature, in degrees Celsius. */
  readonly celsius: number;
}

/** The cities that the example server knows. */
export const cities: readonly City[] = [
  { name: 'Lisbon', country: 'Portugal', celsius: 21 },
  { name: 'Oslo', country: 'Norway', celsius: 8 },
  { name: 'Osaka', country: 'Japan', celsius: 19 },
  { name: 'Quito', country: 'Ecuador', celsius: 15 },
];

/** The names of the cities. */
export const cityNames: readonly string[] = cities.map(({ name }) => name);

/** Finds a city, however its name is capitalised. */
export function cityNamed(name: string): City | undefined {
  return cities.find((city) => city.name.toLowerCase() === name.toLowerCase());
}

/** Describes a city, as Markdown. */
export function describeCity({ name, country, celsius }: City): string {
  return `# ${name}\n\nA city in ${country}, at ${celsius} °C more often than not.\n`;
}

/** The weather of one day. */
export interface Day {
  readonly day: number;
  readonly sky: string;
  readonly celsius: number;
}

const skies = ['sunny', 'cloudy', 'rain', 'wind', 'fog'];

/** The weather of the next days; the same every time. */
export function forecast(city: City, days: number): Day[] {
  return Array.from({ length: days }, (_, at) => {
    const mood = (city.name.length * 7 + city.celsius + at * 3) % skies.length;
    return { day: at + 1, sky: skies[mood] ?? 'sunny', celsius: city.celsius + mood - 2 };
  });
}
