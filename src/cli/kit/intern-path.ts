/** The path of an intern, or of something below it, in the API. */
export const internPath = (intern: string, below = '') => `/interns/${encodeURIComponent(intern)}${below}`
