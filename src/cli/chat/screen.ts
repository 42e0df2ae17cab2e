/** Where a person types and reads. */
export type Screen = { input: NodeJS.ReadStream; output: NodeJS.WriteStream }
