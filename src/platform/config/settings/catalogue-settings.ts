import { z } from '../../json/schema.ts'
import { distinctVendors, Vendor } from '../setting-values.ts'

/** The sources of the model catalogue, and the vendors that guardrails name by letters. */
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
      'A file with the data of models.dev. Default: `models.dev.json` in the data folder, where `npx signalbox catalogue sync` writes it.',
    ),
  starter_catalogue: z
    .stringbool()
    .default(true)
    .describe('Whether to load the catalogue that is included in Signalbox.'),
  zdr_vendors: z
    .strictObject({ a: Vendor, b: Vendor, c: Vendor, d: Vendor })
    .superRefine(distinctVendors)
    .default({
      a: { author: 'anthropic', suffix: 'anthropic' },
      b: { author: 'google', suffix: 'google' },
      c: { author: 'openai', suffix: 'openai' },
      d: { author: 'x-ai', suffix: 'xai' },
    })
    .describe('The model vendors that `enforce_zdr_vendor_a` to `_d` stand for (file only).'),
}
