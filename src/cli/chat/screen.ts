/** The terminal: standard input and output. */
export type Screen = { input: NodeJS.ReadStream; output: NodeJS.WriteStream }
