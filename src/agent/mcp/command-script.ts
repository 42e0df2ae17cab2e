/**
 * Returns a script that starts a server. It first reads one line with the server's environment, which is therefore in
 * no command line and in no other process's environment.
 */
export function createStartScript(command: string, args: string[]): string {
  const words = [command, ...args].map(quote).join(' ')
  return `IFS= read -r environment && eval "$environment" && unset environment && exec ${words}`
}

export function environmentLine(env: [name: string, value: string][]): string {
  return env.length === 0 ? ':' : `export ${env.map(([name, value]) => `${name}=${quote(value)}`).join(' ')}`
}

/** Quotes a text for bash, on one line. */
function quote(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `$'${escaped}'`
}
