import { member } from './connection.ts'

const longestName = 256

/** The model a session runs on, as its configuration options tell it. */
export function modelOf(configOptions: unknown): string | undefined {
  if (!Array.isArray(configOptions)) return undefined
  const option = configOptions.find((one) => member(one, 'category') === 'model')
  const value = member(option, 'currentValue')
  return typeof value === 'string' && value ? value.slice(0, longestName) : undefined
}
