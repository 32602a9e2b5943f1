/** A move that is not possible. The message is a sentence for the operator. */
export class MoveRefused extends Error {}
