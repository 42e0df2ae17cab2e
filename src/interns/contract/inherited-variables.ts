/** The environment variables that a daemon inherits from the server, and the agent from its daemon. None is secret. */
export const inheritedVariables = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']
