/**
 * The `data-` attributes of the served page: `root`, `role`, `theme`, `session`. In the service, which has no document, the
 * renderer sets them before it renders a page.
 */
export const pageSettings: Record<string, string | undefined> = globalThis.document?.documentElement.dataset ?? {}
