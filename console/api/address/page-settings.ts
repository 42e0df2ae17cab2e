/**
 * The `data-` attributes of the served page: `root`, `role`, `theme`, `session`. During server-side rendering there is no
 * document: `createRenderer` sets `root`, and `render-page.tsx` sets the others before each page.
 */
export const pageSettings: Record<string, string | undefined> = globalThis.document?.documentElement.dataset ?? {}
