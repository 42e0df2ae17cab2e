/** The generation id in a text, such as the address of a request; undefined if there is none. */
export const requestIdIn = (text: string): string | undefined => /\bgen-[\w-]{8,}/.exec(text)?.[0]
