import type { VendorLanguage } from '../../../../client/contract.gen.ts'
import { english, type VendorMessageWords } from './english.ts'
import { spanish } from './spanish.ts'

/** Returns the texts in the language of the vendor. A vendor without a language reads English. */
export function getVendorMessageWords(language: VendorLanguage | null | undefined): VendorMessageWords {
  return language === 'es' ? spanish : english
}
