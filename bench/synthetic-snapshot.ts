/** An invented snapshot in the format of models.dev, as large as the real one: 50 providers with 100 models each. */
export function createSyntheticSnapshot(): string {
  const providers = Array.from({ length: 50 }, (_, providerIndex) => {
    const models = Array.from({ length: 100 }, (_, i) => createModel(providerIndex, i)).map((model) => [
      model.id,
      model,
    ])
    const id = `provider-${providerIndex}`
    return [
      id,
      {
        id,
        name: `Provider ${providerIndex}`,
        env: [],
        npm: '@ai-sdk/openai-compatible',
        doc: '',
        models: Object.fromEntries(models),
      },
    ]
  })
  return JSON.stringify(Object.fromEntries(providers))
}

function createModel(provider: number, index: number) {
  return {
    id: `maker-${(provider + index) % 40}/model-${index}-${provider % 20}`,
    name: `Model ${index} ${provider % 20}`,
    family: `family-${index % 30}`,
    release_date: `2025-${String((index % 12) + 1).padStart(2, '0')}-10`,
    last_updated: '2025-12-01',
    attachment: index % 2 === 0,
    reasoning: index % 3 === 0,
    temperature: true,
    tool_call: index % 4 !== 0,
    open_weights: false,
    cost: { input: (index % 17) / 4, output: (index % 17) * 1.5 },
    limit: { context: 32_000 * ((index % 8) + 1), output: 8192 },
    modalities: { input: index % 2 ? ['text'] : ['text', 'image'], output: ['text'] },
  }
}
