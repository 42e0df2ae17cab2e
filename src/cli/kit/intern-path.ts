/** The API path of an intern, or of a resource below it. */
export const internPath = (intern: string, below = '') => `/interns/${encodeURIComponent(intern)}${below}`
