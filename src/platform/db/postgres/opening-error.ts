/** Advice by error codes of Postgres. */
const advice: Readonly<Record<string, string>> = {
  '3D000': 'Create it first, for example with createdb, or correct its name in DATABASE_URL.',
  '28P01': 'Correct the user or the password in DATABASE_URL.',
  '28000': 'Correct the user in DATABASE_URL, or create it first, for example with createuser.',
}

/** An error of the driver or of the system. Errors of Postgres itself have a severity. */
type OpeningError = Error & { code?: string; severity?: string; hostname?: string }

/** Explains in a sentence or two why the database could not be opened: the server refused, or did not respond. */
export function describeOpeningError({ code = '', severity, message, hostname }: OpeningError): string {
  const subject = 'The database named by DATABASE_URL'
  if (code === '25006')
    return `${subject} cannot be used: ${message} Name the primary, or all servers separated by commas.`
  if (severity !== undefined) return [`${subject} cannot be used: ${message}.`, advice[code]].filter(Boolean).join(' ')
  if (code === 'ENOTFOUND') return `${subject} cannot be reached: the host "${hostname}" was not found.`
  if (code === 'ECONNREFUSED')
    return `${subject} cannot be reached: nothing listens there (${message || 'connection refused'}).`
  return `${subject} cannot be reached: ${message || 'connection refused'}.`
}
