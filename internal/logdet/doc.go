// Package logdet computes, for one row x of the data and pseudo-inputs z_l with v_l = x - z_l,
//
//	1/2 logdet G,   G = sum_l kappa_l² v_l v_l',
//
// and the leverages h_l = kappa_l² v_l' G^-1 v_l.
package logdet
