/** The API path of an intern, or of a resource of it. */
export const internPath = (intern: string, subpath = '') => `/interns/${encodeURIComponent(intern)}${subpath}`
