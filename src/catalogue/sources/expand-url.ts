const variablePattern = /\$\{(\w+)\}/g

/** The names of the variables in a base URL. */
export const findVariables = (url: string): string[] => [
  ...new Set([...url.matchAll(variablePattern)].map(([, name = '']) => name)),
]

/** Replaces each `${NAME}` in a base URL; null if a variable is missing. */
export function expandUrl(url: string, variable: (name: string) => string | undefined): string | null {
  let isMissing = false
  const expanded = url.replace(variablePattern, (_, name: string) => {
    const value = variable(name)?.trim()
    isMissing ||= !value
    return value ?? ''
  })
  return isMissing ? null : expanded
}

/** Whether a URL has a user or password before its host. */
export const hasCredentials = (url: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(url)
