import description from '../../../package.json' with { type: 'json' }

/** Of the service; that of the API is in its base path. */
export const { version } = description
