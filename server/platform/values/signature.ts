import { createHash } from 'node:crypto'
import type { Actor, Signature } from '../../../client/contract.gen.ts'

export interface SignedText {
  text: string
  signedBy: string
  signedAt: string
  recordedBy: Actor
  /** The sentence at the end that contains the signer and the time. Defaults to an English sentence. */
  closing?: string
}

/** Returns the signature of a text. The signed text also contains the signer and the time. */
export function createSignature({ text, signedBy, signedAt, recordedBy, closing }: SignedText): Signature {
  const whole = `${text}\n\n${closing ?? formatClosing(signedBy, signedAt)}`
  const textSha256 = createHash('sha256').update(whole).digest('hex')
  return { signedBy, signedAt, text: whole, textSha256, recordedBy }
}

function formatClosing(signedBy: string, signedAt: string): string {
  return `Signed by ${signedBy} at ${signedAt}, electronically and with consent to signing electronically.`
}
