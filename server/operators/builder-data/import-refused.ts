/** An import that is not possible. The message is a sentence for the operator. */
export class ImportRefused extends Error {}
