/** What cannot be had here, such as without a network or a toolchain: it says nothing about what it is. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}
