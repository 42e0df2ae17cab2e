/** Words with the space before them, as tokens mostly are. */
export const wordsOf = (text: string): string[] => (/\S/.test(text) && text.match(/\s*\S+\s*$|\s*\S+/g)) || []
