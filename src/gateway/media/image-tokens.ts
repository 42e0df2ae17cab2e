type Size = { width: number; height: number }

/** Pieces of a side that cover a picture. */
const pieces = ({ width, height }: Size, side: number) => Math.ceil(width / side) * Math.ceil(height / side)

/**
 * The most tokens that an image costs, for each family of models, as its maker documents it. `any` is the most for an
 * image of unknown size; without `any`, there is no such limit.
 */
const families: { models: RegExp; of: (size: Size) => number; any?: number }[] = [
  // Small, and dear in tokens: 2,833 and 5,667 a tile of 512, eight tiles at the most.
  { models: /gpt-4o-mini/, of: (size) => 2833 + 5667 * Math.min(8, pieces(size, 512)), any: 48_169 },
  // From 5.4 on up to 10,000 patches of 32, and small models count one as up to 2.5.
  { models: /gpt-5\.[4-9]|gpt-[6-9]/, of: (size) => 200 + 2.5 * Math.min(10_000, pieces(size, 32)), any: 25_200 },
  { models: /gpt-[45]|(?:^|\/)o\d/, of: () => 4096, any: 4096 },
  // A pixel is 1/750 of a token, of at most 4,784.
  { models: /claude/, of: () => 5000, any: 5000 },
  // A tile of 768 is 258; later models count up to 2,240 whatever the size.
  { models: /gemini/, of: (size) => Math.max(2240, 258 * pieces(size, 768)) },
]

/** No model in wide use cuts pictures finer than this, or counts a small one as more than the least. */
const finestPatch = 14
const least = 1600

/** @param size undefined for a picture that is not in the request, or does not say. */
export function imageTokenBound(model: string, size: Size | undefined): number {
  const family = families.find(({ models }) => models.test(model))
  if (!size) return family?.any ?? Number.POSITIVE_INFINITY
  return Math.ceil(family ? family.of(size) : Math.max(least, pieces(size, finestPatch)))
}
