/** Thrown if an import is not possible. The message is a sentence for the operator. */
export class ImportError extends Error {}
