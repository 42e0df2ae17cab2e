import type { SessionConfigOption } from '@agentclientprotocol/sdk'

/** The model as a configuration option of the protocol. `respondingModel` is the name under which the service last answered. */
export function toConfigOptions(configured: string, respondingModel: string | undefined): SessionConfigOption[] {
  const currentValue = respondingModel ?? configured
  const names = [...new Set([configured, currentValue])]
  return [
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue,
      options: names.map((name) => ({ value: name, name })),
    },
  ]
}
