import type { SessionConfigOption } from '@agentclientprotocol/sdk'

/** The model as a configuration option of the protocol. `answeringModel` is the name under which the service last answered. */
export function toConfigOptions(configured: string, answeringModel: string | undefined): SessionConfigOption[] {
  const currentValue = answeringModel ?? configured
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
