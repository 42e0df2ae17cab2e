/**
 * How much larger than usual text is, as whoever looks has set it in their browser. What scripts measure in px is of the
 * usual size, as the sheets' rem are: one px of those is so many of the window's.
 */
export const textScale =
  typeof document === 'undefined' ? 1 : Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16

/** A length of the usual size, as sheets have it. */
export const rem = (px: number): string => `${px / 16}rem`
