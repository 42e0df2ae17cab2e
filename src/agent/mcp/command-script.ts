/**
 * Returns a bash script that starts an MCP server. The script first reads the line of `createEnvironmentLine` from its standard
 * input. The secrets in the server's environment are therefore in no command line and in no other process's environment.
 */
export function createStartScript(command: string, args: string[]): string {
  const words = [command, ...args].map(quote).join(' ')
  return `IFS= read -r environment && eval "$environment" && unset environment && exec ${words}`
}

/** Returns the line of bash that exports the server's environment; `:`, which does nothing, for an empty one. */
export function createEnvironmentLine(env: [name: string, value: string][]): string {
  return env.length === 0 ? ':' : `export ${env.map(([name, value]) => `${name}=${quote(value)}`).join(' ')}`
}

/** Quotes a text for bash, on one line. */
function quote(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `$'${escaped}'`
}
