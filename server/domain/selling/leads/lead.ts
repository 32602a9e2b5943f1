import type { Lead, LeadStatus } from '../../../../client/contract.gen.ts'
import { invalid } from '../../../platform/problems/problem.ts'

const OPEN = ['contacted', 'qualified', 'appointment', 'proposal'] as const

/** The moves that a caller can ask for; a lead is converted by an operation of its own. */
export const LEAD_MOVES: Readonly<Record<LeadStatus, readonly LeadStatus[]>> = {
  new: [...OPEN, 'lost'],
  contacted: ['qualified', 'appointment', 'proposal', 'lost'],
  qualified: ['contacted', 'appointment', 'proposal', 'lost'],
  appointment: ['contacted', 'qualified', 'proposal', 'lost'],
  proposal: ['contacted', 'qualified', 'appointment', 'lost'],
  // Only once the sale is cancelled; otherwise its buyer would be somebody to be sold a home.
  converted: ['contacted'],
  lost: ['contacted'],
}

/** As many activities as a lead can have: a call a day for more than a year. */
export const MOST_ACTIVITIES = 500

type Reachable = Pick<Lead, 'firstName' | 'lastName' | 'email' | 'phone'>
type Wanted = Pick<Lead, 'budgetMin' | 'budgetMax'>

/** Refuses a lead whom nobody could tell from others, and a budget that ends before it begins. */
export function assertSensible(lead: Reachable & Wanted): void {
  if (lead.firstName === null && lead.lastName === null && lead.email === null && lead.phone === null)
    throw invalid([
      { pointer: '/lastName', code: 'required', message: 'is required unless firstName, email or phone is set' },
    ])
  if (lead.budgetMin !== null && lead.budgetMax !== null && lead.budgetMin > lead.budgetMax)
    throw invalid([{ pointer: '/budgetMax', code: 'minimum', message: 'must not be less than budgetMin' }])
}

/** What the lead is called to people. */
export function nameOf({ firstName, lastName, email, phone }: Reachable): string {
  const name = [firstName, lastName].filter((part) => part !== null).join(' ')
  return name || (email ?? phone ?? 'The lead')
}
