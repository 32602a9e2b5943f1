/** Thrown if a move is not possible. The message is a sentence for the operator. */
export class MoveError extends Error {}
