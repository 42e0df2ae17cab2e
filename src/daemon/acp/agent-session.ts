import { readModel } from './model.ts'
import { RpcError, readProperty, rpcCodes } from './rpc-message.ts'

/**
 * A session as the agent knows it. `modes` are the modes that the session can have. `modeOption` is the id of the configuration
 * option that sets the mode, for an agent that offers its modes only as an option.
 */
export type AgentSession = { id: string; model: string | null; modes: string[]; modeOption?: string }

/** Reads the agent's response to a new or restored session. @throws RpcError if it lacks an id. */
export function readSession(response: unknown, restoredId?: string): AgentSession {
  const id = restoredId ?? readProperty(response, 'sessionId')
  if (typeof id !== 'string' || !id)
    throw new RpcError(rpcCodes.internalError, 'The agent opened a session without an id.')
  const configOptions = readProperty(response, 'configOptions')
  const model = readModel(configOptions) ?? null
  const modes = readTexts(readProperty(readProperty(response, 'modes'), 'availableModes'), 'id')
  return { id, model, ...(modes.length > 0 ? { modes } : readModeOption(configOptions)) }
}

/** Reads the modes that an agent offers as a configuration option of the category `mode`. */
function readModeOption(configOptions: unknown): Pick<AgentSession, 'modes' | 'modeOption'> {
  const options = Array.isArray(configOptions) ? configOptions : []
  const option = options.find((one) => readProperty(one, 'category') === 'mode')
  const id = readProperty(option, 'id')
  const values = readProperty(option, 'options')
  if (typeof id !== 'string' || !Array.isArray(values)) return { modes: [] }
  // The values can be in groups.
  return {
    modes: readTexts(
      values.flatMap((value) => readProperty(value, 'options') ?? value),
      'value',
    ),
    modeOption: id,
  }
}

function readTexts(items: unknown, key: string): string[] {
  if (!Array.isArray(items)) return []
  return items.map((item) => readProperty(item, key)).filter((text) => typeof text === 'string')
}
