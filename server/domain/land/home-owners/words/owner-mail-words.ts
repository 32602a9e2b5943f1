import type { HomeOwner } from '../../../../../client/contract.gen.ts'
import { english, type OwnerMailWords } from './english.ts'
import { spanish } from './spanish.ts'

export const OWNER_MAIL_WORDS: Readonly<Record<HomeOwner['language'], OwnerMailWords>> = { en: english, es: spanish }
