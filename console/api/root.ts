/** The path that this console is below, such as `/llm`; empty without one. The page names it. */
export const root: string = globalThis.document?.documentElement.dataset.root ?? ''

/** A path of this service as the browser has it. */
export const withRoot = (path: string): string => root + path

/** A path of the browser as the screens have it. */
export const withoutRoot = (path: string): string => (path.startsWith(root) ? path.slice(root.length) : path) || '/'
