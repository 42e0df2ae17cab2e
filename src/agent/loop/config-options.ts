import type { SessionConfigOption } from '@agentclientprotocol/sdk'

/** The model as a configuration option of ACP. `respondingModel` is the name of the model in the last response. */
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
