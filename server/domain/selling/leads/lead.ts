import type { Lead, LeadStatus } from '../../../../client/contract.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'

const OPEN_STATUSES = ['contacted', 'qualified', 'appointment', 'proposal'] as const

/** The status changes that a caller can request. Converting a lead is a separate operation. */
export const LEAD_MOVES: Readonly<Record<LeadStatus, readonly LeadStatus[]>> = {
  new: [...OPEN_STATUSES, 'lost'],
  contacted: ['qualified', 'appointment', 'proposal', 'lost'],
  qualified: ['contacted', 'appointment', 'proposal', 'lost'],
  appointment: ['contacted', 'qualified', 'proposal', 'lost'],
  proposal: ['contacted', 'qualified', 'appointment', 'lost'],
  // A converted lead can be contacted again only after its sale is canceled. Before that, the lead is a buyer.
  converted: ['contacted'],
  lost: ['contacted'],
}

/** The maximum number of activities of a lead, which allows more than one call per day for a year. */
export const MAX_ACTIVITIES = 500

type LeadContact = Pick<Lead, 'firstName' | 'lastName' | 'email' | 'phone'>
type LeadBudget = Pick<Lead, 'budgetMin' | 'budgetMax'>

/** Throws if a lead has neither a name nor contact data, or if its maximum budget is below its minimum budget. */
export function assertValidLead(lead: LeadContact & LeadBudget): void {
  if (lead.firstName === null && lead.lastName === null && lead.email === null && lead.phone === null)
    throw validationFailed([
      { pointer: '/lastName', code: 'required', message: 'is required unless firstName, email, or phone is set' },
    ])
  if (lead.budgetMin !== null && lead.budgetMax !== null && lead.budgetMin > lead.budgetMax)
    throw validationFailed([{ pointer: '/budgetMax', code: 'minimum', message: 'must not be less than budgetMin' }])
}

/** Returns the name of the lead for messages. */
export function formatLeadName({ firstName, lastName, email, phone }: LeadContact): string {
  const name = [firstName, lastName].filter((part) => part !== null).join(' ')
  return name || (email ?? phone ?? 'The lead')
}
