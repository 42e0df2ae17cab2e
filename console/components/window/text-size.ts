/**
 * The text size set in the browser, relative to the default. Scripts calculate in px of the default size, as style sheets
 * do in rem. Multiply by this factor for px of the window.
 */
export const textScale =
  typeof document === 'undefined' ? 1 : Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16

/** Converts px of the default text size to rem. */
export const rem = (px: number): string => `${px / 16}rem`
