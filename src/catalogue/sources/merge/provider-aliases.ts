/** Other slugs of providers, as OpenRouter uses them. A catalogue file can set `aliases` of a provider instead. */
export const providerAliases: Readonly<Record<string, readonly string[]>> = {
  'cloudflare-workers-ai': ['cloudflare'],
  'fireworks-ai': ['fireworks'],
  gmicloud: ['gmi-cloud'],
  google: ['google-ai-studio'],
  inference: ['inference-net'],
  nearai: ['near-ai'],
  'novita-ai': ['novita'],
  sakana: ['sakana-ai'],
  togetherai: ['together'],
  'wafer.ai': ['wafer'],
  zai: ['z-ai'],
}
