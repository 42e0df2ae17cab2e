import { z } from '../json/schema.ts'
import { distinctVendors, Vendor } from './setting-values.ts'

/** From where the catalogue of models comes, and whose models guardrails name by letters. */
export const catalogueSettings = {
  catalogue_file: z
    .string()
    .min(1)
    .optional()
    .describe('Your own catalogue file (YAML or JSON), which overrides all other sources.'),
  models_dev_file: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A models.dev snapshot. Default: `models.dev.json` in the data folder, where `npx signalbox catalogue sync` puts it.',
    ),
  starter_catalogue: z
    .stringbool()
    .default(true)
    .describe('Whether the catalogue that comes with Signalbox is loaded.'),
  zdr_vendors: z
    .strictObject({ a: Vendor, b: Vendor, c: Vendor, d: Vendor })
    .superRefine(distinctVendors)
    .default({
      a: { author: 'anthropic', suffix: 'anthropic' },
      b: { author: 'google', suffix: 'google' },
      c: { author: 'openai', suffix: 'openai' },
      d: { author: 'x-ai', suffix: 'xai' },
    })
    .describe('Which model vendor each of `enforce_zdr_vendor_a` to `_d` means (file only).'),
}
