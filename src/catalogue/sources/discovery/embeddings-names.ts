/** The families of embeddings models whose names do not contain the word. */
const families = /embed|(?:^|[/-])(?:bge|gte|e5|all-minilm|all-mpnet|voyage|multilingual-e5)-/i

/** Whether a model creates embeddings, by its name. Sources do not distinguish such models from chat models. */
export const isEmbeddingsName = (name: string) => families.test(name) && !/rerank/i.test(name)
