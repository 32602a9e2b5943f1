import type { LienWaiverType } from '../../../../client/contract.gen.ts'

/**
 * Samples of the four types of lien waivers, which are used in the demo and as a starting point for builders. The
 * samples are not legal advice. Several states prescribe the wording of lien waivers, which builders in these states
 * must use. The signature is appended when the lien waiver is signed.
 */
export const WAIVER_SAMPLES: Readonly<Record<LienWaiverType, string>> = {
  conditional_progress: `SAMPLE, NOT LEGAL ADVICE. Conditional waiver and release on progress payment

Vendor: {{vendor.companyName}}. Builder: {{builder.name}}. Property: {{home.address}}. Lot: {{home.lotNumber}}. Community: {{community.name}}. Order: {{order.number}}. Payment: {{payment.number}}. Amount: {{payment.amount}}. Through date: {{waiver.throughDate}}.

The vendor waives and releases its lien rights and payment bond rights in the property for labor, services, equipment, and material that it furnished under the order through the through date, up to the amount of the payment. This waiver takes effect only when the vendor has received the full amount and the payment has cleared the bank. Until then, it is not effective and the vendor keeps all of its rights. If the payment is stopped or returned unpaid, this waiver is void.

This waiver does not cover retainage; labor, services, equipment, or material furnished after the through date; or extra work that the parties have not agreed to in writing. Other exceptions: {{waiver.exceptions}}.

The vendor represents that it has paid, or will pay from this payment, everyone who furnished labor, services, equipment, or material for its work on the property through the through date.`,
  unconditional_progress: `SAMPLE, NOT LEGAL ADVICE. Unconditional waiver and release on progress payment

NOTICE: This document waives and releases rights unconditionally and states that you have been paid. It is enforceable as soon as you sign it, even if you have not been paid. If you have not been paid, use a conditional waiver instead.

Vendor: {{vendor.companyName}}. Builder: {{builder.name}}. Property: {{home.address}}. Lot: {{home.lotNumber}}. Community: {{community.name}}. Order: {{order.number}}. Payment: {{payment.number}}. Amount: {{payment.amount}}. Through date: {{waiver.throughDate}}.

The vendor has received the progress payment. It unconditionally waives and releases its lien rights and payment bond rights in the property for labor, services, equipment, and material that it furnished under the order through the through date, up to the amount of the payment.

This waiver does not cover retainage; labor, services, equipment, or material furnished after the through date; or extra work that the parties have not agreed to in writing. Other exceptions: {{waiver.exceptions}}.

The vendor represents that it has paid, or will promptly pay from this payment, everyone who furnished labor, services, equipment, or material for its work on the property through the through date.`,
  conditional_final: `SAMPLE, NOT LEGAL ADVICE. Conditional waiver and release on final payment

Vendor: {{vendor.companyName}}. Builder: {{builder.name}}. Property: {{home.address}}. Lot: {{home.lotNumber}}. Community: {{community.name}}. Order: {{order.number}}. Payment: {{payment.number}}. Amount: {{payment.amount}}.

Together with earlier payments, this payment is payment in full under the order, including retainage. The vendor waives and releases all of its lien rights and payment bond rights in the property for labor, services, equipment, and material that it furnished under the order. This waiver takes effect only when the vendor has received the full amount and the payment has cleared the bank. Until then, it is not effective and the vendor keeps all of its rights. If the payment is stopped or returned unpaid, this waiver is void.

This waiver does not cover the following disputed claims: {{waiver.exceptions}}.

The vendor represents that it has paid, or will pay from this payment, everyone who furnished labor, services, equipment, or material for its work on the property.`,
  unconditional_final: `SAMPLE, NOT LEGAL ADVICE. Unconditional waiver and release on final payment

NOTICE: This document waives and releases rights unconditionally and states that you have been paid. It is enforceable as soon as you sign it, even if you have not been paid. If you have not been paid, use a conditional waiver instead.

Vendor: {{vendor.companyName}}. Builder: {{builder.name}}. Property: {{home.address}}. Lot: {{home.lotNumber}}. Community: {{community.name}}. Order: {{order.number}}. Payment: {{payment.number}}. Amount: {{payment.amount}}.

The vendor has been paid in full under the order, including retainage. It unconditionally waives and releases all of its lien rights and payment bond rights in the property for labor, services, equipment, and material that it furnished under the order.

This waiver does not cover the following disputed claims: {{waiver.exceptions}}.

The vendor represents that it has paid everyone who furnished labor, services, equipment, or material for its work on the property.`,
}
