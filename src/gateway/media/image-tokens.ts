type Size = { width: number; height: number }

/** The number of square tiles that cover an image. */
const tileCount = ({ width, height }: Size, side: number) => Math.ceil(width / side) * Math.ceil(height / side)

/**
 * The maximum tokens of an image by model family, as documented. `unknownSizeTokens` is the maximum for an image of unknown size;
 * undefined if there is none.
 */
const families: { models: RegExp; countTokens: (size: Size) => number; unknownSizeTokens?: number }[] = [
  // Small models need many tokens: 2,833, and 5,667 per tile of 512 px for at most eight tiles.
  {
    models: /gpt-4o-mini/,
    countTokens: (size) => 2833 + 5667 * Math.min(8, tileCount(size, 512)),
    unknownSizeTokens: 48_169,
  },
  // Since GPT-5.4: at most 10,000 patches of 32 px. Small models count a patch as up to 2.5 tokens.
  {
    models: /gpt-5\.[4-9]|gpt-[6-9]/,
    countTokens: (size) => 200 + 2.5 * Math.min(10_000, tileCount(size, 32)),
    unknownSizeTokens: 25_200,
  },
  { models: /gpt-[45]|(?:^|\/)o\d/, countTokens: () => 4096, unknownSizeTokens: 4096 },
  // One token per 750 pixels, at most 4,784 tokens.
  { models: /claude/, countTokens: () => 5000, unknownSizeTokens: 5000 },
  // 258 tokens per tile of 768 px. Later models count up to 2,240 tokens for any size.
  { models: /gemini/, countTokens: (size) => Math.max(2240, 258 * tileCount(size, 768)) },
]

/** The smallest side of a patch of other models, in pixels. A patch is one token. */
const minPatchPixels = 14
/** The lowest bound of other models, because some of them count a fixed number of tokens for any image, at most this number. */
const maxFixedTokens = 1600

/** The maximum tokens of an image. @param size undefined if it is unknown, as for a remote image. */
export function imageTokenBound(model: string, size: Size | undefined): number {
  const family = families.find(({ models }) => models.test(model))
  if (!size) return family?.unknownSizeTokens ?? Number.POSITIVE_INFINITY
  return Math.ceil(family ? family.countTokens(size) : Math.max(maxFixedTokens, tileCount(size, minPatchPixels)))
}
