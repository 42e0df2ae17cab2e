/** The path of the base URL: it carries the API's version. */
export const prefix = '/api/v1'
