/** Path segments of this length with letters and digits are treated as tokens. Shorter ones are usually words. */
const minTokenLength = 20
const tokenPattern = /^(?=.*[a-z])(?=.*\d)/i

/** Returns the parts of a URL that can be credentials, as they are written and decoded: its user, query and tokens in its path. */
export function findUrlSecrets(text: string): string[] {
  const url = URL.parse(text)
  if (!url) return []
  const { username, password, search, searchParams, pathname } = url
  const parameters = search.slice(1).split('&')
  const values = parameters.map((parameter) => parameter.slice(parameter.indexOf('=') + 1))
  const tokens = pathname.split('/').filter((part) => part.length >= minTokenLength && tokenPattern.test(part))
  // With a password, the name of the user is not a secret.
  const user = password ? [password, `${username}:${password}`] : [username]
  const written = [...user, search.slice(1), ...values, ...tokens]
  const decoded = [...searchParams.values(), ...[...user, ...tokens].map(decodePart)]
  return [...new Set([...written, ...decoded])].filter((secret) => secret !== '')
}

/** Returns the text itself if it is not valid percent-encoding. */
function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
