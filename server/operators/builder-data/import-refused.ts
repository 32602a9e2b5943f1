/** An import that is not possible; the message is a sentence for the operator. */
export class ImportRefused extends Error {}
