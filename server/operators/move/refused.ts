/** A move that is not possible; the message is a sentence for the operator. */
export class MoveRefused extends Error {}
