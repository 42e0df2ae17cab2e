/** The attributes of the served page: `root`, `role`, `theme`, `session`. The service sets them before it renders a page. */
export const pageSettings: Record<string, string | undefined> = globalThis.document?.documentElement.dataset ?? {}
