import { readProperty } from './rpc-message.ts'

const maxNameLength = 256

/** The model of a session, read from its configuration options. */
export function readModel(configOptions: unknown): string | undefined {
  if (!Array.isArray(configOptions)) return undefined
  const option = configOptions.find((one) => readProperty(one, 'category') === 'model')
  const value = readProperty(option, 'currentValue')
  return typeof value === 'string' && value ? value.slice(0, maxNameLength) : undefined
}
