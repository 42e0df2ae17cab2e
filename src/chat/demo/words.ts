/** Splits a text into words, each with the space before it, like most tokens. */
export const splitWords = (text: string): string[] => (/\S/.test(text) && text.match(/\s*\S+\s*$|\s*\S+/g)) || []
