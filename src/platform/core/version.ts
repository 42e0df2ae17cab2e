import description from '../../../package.json' with { type: 'json' }

/** The version of the service. The version of the API is in its base path. */
export const { version } = description
