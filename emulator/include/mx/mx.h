// SPDX-License-Identifier: Apache-2.0
// mx/mx.h: the door for users: every rule of the core.
#pragma once
#include "mx/block.h"
#include "mx/components.h"
#include "mx/corrections.h"
#include "mx/element.h"
#include "mx/energy.h"
#include "mx/formats.h"
#include "mx/operand.h"
#include "mx/philox.h"
#include "mx/scale.h"
