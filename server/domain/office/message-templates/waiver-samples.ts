import type { LienWaiverType } from '../../../../client/contract.gen.ts'

/**
 * Samples of the four kinds of waivers, for the demo and as a starting point for builders. They are not legal advice:
 * several states prescribe the wording of a waiver, and the builder must then use that. The signature is appended when
 * the waiver is signed.
 */
export const WAIVER_SAMPLES: Readonly<Record<LienWaiverType, string>> = {
  conditional_progress: `SAMPLE, NO LEGAL ADVICE. Conditional waiver for a progress payment

Vendor: {{vendor.companyName}}. Builder: {{builder.name}}. Home: {{home.address}}, lot {{home.lotNumber}}, {{community.name}}. Order: {{order.number}}.

The builder is about to pay {{payment.amount}} (payment {{payment.number}}). From the moment at which this sum has been credited to the vendor for good, and not before, the vendor gives up its right to a lien or a bond claim on this home for the labor, material and equipment that it has supplied under the order up to {{waiver.throughDate}}, as far as this sum pays for them.

Not given up: retainage that is still held; work done after the date above; extras that both sides have not yet agreed on in writing; and {{waiver.exceptions}}.

The vendor states that it has paid, or will pay out of this sum, everyone who worked or delivered for it on this home up to that date. If the payment is stopped or returned, this paper has no effect.`,
  unconditional_progress: `SAMPLE, NO LEGAL ADVICE. Unconditional waiver for a progress payment

Read this first: this paper gives up rights at once, also if you have not been paid. If the money has not come, sign the conditional one.

Vendor: {{vendor.companyName}}. Builder: {{builder.name}}. Home: {{home.address}}, lot {{home.lotNumber}}, {{community.name}}. Order: {{order.number}}.

The vendor has received {{payment.amount}} (payment {{payment.number}}). It gives up its right to a lien or a bond claim on this home for the labor, material and equipment supplied under the order up to {{waiver.throughDate}}, as far as this sum pays for them.

Not given up: retainage that is still held; work done after the date above; extras that both sides have not yet agreed on in writing; and {{waiver.exceptions}}.

The vendor states that everyone who worked or delivered for it on this home up to that date has been paid, or is paid out of this sum without delay.`,
  conditional_final: `SAMPLE, NO LEGAL ADVICE. Conditional waiver for the final payment

Vendor: {{vendor.companyName}}. Builder: {{builder.name}}. Home: {{home.address}}, lot {{home.lotNumber}}, {{community.name}}. Order: {{order.number}}.

The builder is about to pay {{payment.amount}} (payment {{payment.number}}), which with what was paid before is all that it owes under the order, retainage included. From the moment at which this sum has been credited to the vendor for good, and not before, the vendor gives up every right to a lien or a bond claim on this home for everything that it has supplied under the order.

Not given up: claims in dispute that are listed here: {{waiver.exceptions}}.

The vendor states that it has paid, or will pay out of this sum, everyone who worked or delivered for it on this home. If the payment is stopped or returned, this paper has no effect.`,
  unconditional_final: `SAMPLE, NO LEGAL ADVICE. Unconditional waiver for the final payment

Read this first: this paper gives up rights at once, also if you have not been paid. If the money has not come, sign the conditional one.

Vendor: {{vendor.companyName}}. Builder: {{builder.name}}. Home: {{home.address}}, lot {{home.lotNumber}}, {{community.name}}. Order: {{order.number}}.

The vendor has been paid in full under the order, retainage included; the last sum was {{payment.amount}} (payment {{payment.number}}). It gives up every right to a lien or a bond claim on this home for everything that it has supplied under the order.

Not given up: claims in dispute that are listed here: {{waiver.exceptions}}.

The vendor states that everyone who worked or delivered for it on this home has been paid.`,
}
