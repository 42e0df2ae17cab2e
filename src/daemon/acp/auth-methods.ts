import { RpcError, readProperty } from './rpc-message.ts'

/** The protocol's error of an agent that needs a sign-in first. Some agents have no number for it. */
const signInError = { code: -32000, words: /authentication (is )?required/i }
/** An agent can send any number of methods, and names of any length. The rest is ignored or cut. */
const maxMethods = 20
const maxNameLength = 100

/**
 * Adds the sign-in methods that an agent offered to its error that it needs a sign-in.
 * @returns a function for `catch`, which throws.
 */
export function addSignInHelp(methods: unknown): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof RpcError)) throw error
    if (error.code !== signInError.code && !signInError.words.test(error.message)) throw error
    throw new RpcError(error.code, `${error.message.replace(/\.?$/, '.')} ${describeMethods(methods)}`, error.data)
  }
}

function describeMethods(methods: unknown): string {
  const descriptions = (Array.isArray(methods) ? methods : []).slice(0, maxMethods).flatMap((method) => {
    const id = readName(readProperty(method, 'id'))
    const name = readName(readProperty(method, 'name'))
    return id === undefined ? [] : [name === undefined || name === id ? `"${id}"` : `"${id}" (${name})`]
  })
  if (descriptions.length === 0)
    return 'The agent offers no sign-in method; give it its credentials in `env` of its settings.'
  return `The agent offers these sign-in methods: ${descriptions.join(', ')}. Set \`authenticate\` of the agent to one of them.`
}

const readName = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value.slice(0, maxNameLength) : undefined
